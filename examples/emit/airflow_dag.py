"""A DAG whose tasks with outlets are flows `shop_daily.load` …: the configuration is in the directory that ATLAS_CONF names."""

from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG, Asset

from sac_kafka.airflow import callbacks

ORDERS = Asset("postgres://db1:5432/shop/sales/orders")

with DAG("shop_daily", schedule="@daily", default_args=callbacks()):
    load = PythonOperator(
        task_id="load",
        python_callable=lambda: None,
        inlets=[Asset("s3://raw/orders")],
        outlets=[ORDERS],
        **callbacks(columns={"orders.amount": {"expression": ["orders.amt"], "text": "cast(amt as decimal)"}}),
    )
    report = PythonOperator(
        task_id="report",
        python_callable=lambda: None,
        inlets=[ORDERS],
        outlets=[Asset("s3://reports/orders.parquet")],
    )
    load >> report
