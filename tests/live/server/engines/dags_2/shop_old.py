"""A DAG of Airflow 2, where an asset is called a dataset."""

from airflow import DAG
from airflow.datasets import Dataset
from airflow.operators.python import PythonOperator

from sac_kafka.airflow import callbacks

with DAG("shop_old", schedule=None, default_args=callbacks()):
    load = PythonOperator(
        task_id="load",
        python_callable=lambda: None,
        inlets=[Dataset("s3://raw/orders")],
        outlets=[Dataset("postgres://db1:5432/shop/sales/orders")],
    )
