"""TCP: listener, connection, dispatch and one handler file per API."""
