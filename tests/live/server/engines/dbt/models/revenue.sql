{{ config(materialized='table') }}
select customer, sum(amount) as total from {{ ref('stg_orders') }} where amount > 1 group by customer
