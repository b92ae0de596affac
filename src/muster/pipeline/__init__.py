"""What did it mean over time? PySpark turns the coordinator's log and journal into lag, health, rebalances and expiry.

`sources` reads logs and brokers, `decode` makes rows of records, `tables` are functions DataFrame -> DataFrame,
`lake` keeps them, jobs are thin. Only this room imports pyspark, and only inside the functions that need a session.
"""
