"""One file per API. Version quirks end here."""
