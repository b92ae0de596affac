"""The rules of every table applied to a whole history at once: what the fold and the tables of now are compared with."""
