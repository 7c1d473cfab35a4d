"""A DAG whose operator states its own lineage, and whose other task has inlets and outlets."""

from airflow.providers.openlineage.extractors import OperatorLineage
from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG, Asset, BaseOperator
from openlineage.client.event_v2 import Dataset
from openlineage.client.facet_v2 import column_lineage_dataset as lineage


class LoadOrders(BaseOperator):
    def execute(self, context):
        return 3

    def get_openlineage_facets_on_complete(self, task_instance):
        source = Dataset(namespace="s3://shop-raw", name="orders/orders.csv")
        amount = lineage.InputField(namespace=source.namespace, name=source.name, field="amt")
        facet = lineage.ColumnLineageDatasetFacet(fields={"amount": lineage.Fields(inputFields=[amount])})
        target = Dataset(namespace="postgres://db1:5432", name="shop.sales.orders", facets={"columnLineage": facet})
        return OperatorLineage(inputs=[source], outputs=[target])


with DAG("shop_daily", schedule="@once", catchup=False):
    load = LoadOrders(task_id="load")
    report = PythonOperator(
        task_id="report",
        python_callable=lambda: None,
        inlets=[Asset("file:///shop/in/orders")],
        outlets=[Asset("file:///shop/out/report")],
    )
    load >> report
