"""The lake: Delta tables under one URL, whose files Spark writes and whose transactions delta-rs (`deltalake`) commits.

`location` names the places, `files` finds what Spark wrote, `tables` knows the schemas, `commit` makes one transaction a table,
`rounds` publishes all tables of a round at once, `reader` reads them without Java and `spark_reader` with Spark.
"""
