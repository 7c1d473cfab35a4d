select id as order_id, customer, cast(amount as double) as amount from {{ ref('raw_orders') }}
