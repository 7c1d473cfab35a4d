"""Cases of SQL variables and scripts, of EXECUTE IMMEDIATE: what was read for a value is an input of what uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cases.all_cases import Case, case, one_by_one, since, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@since("4.0")
@case
def variable_set_by_a_query(spark: SparkSession, work: str) -> object:
    one_by_one(
        spark,
        "declare or replace variable biggest bigint default 0",
        "set var biggest = (select max(id) from orders where amount > 1)",
    )
    write(
        spark.sql("select name, biggest b from customers where size(tags) < BIGGEST"), work, "variable_set_by_a_query"
    )


@since("4.0")
@case
def variable_before_it_is_set(spark: SparkSession, work: str) -> object:
    """A default is a constant, and so is a value; what the variable was before does not matter."""
    name = "variable_before_it_is_set"
    spark.sql("declare or replace variable least bigint default 1")
    write(spark.sql("select name from customers where size(tags) > least"), work, name)
    spark.sql("set var least = (select min(id) from orders)")
    write(spark.sql("select name from customers where size(tags) > session.least"), work, name)
    spark.sql("set var least = 7")
    write(spark.sql("select name from customers where size(tags) > system.session.least"), work, name)
    spark.sql("set var least = (select min(id) from orders)")
    spark.sql("set var least = default")
    write(spark.sql("select name from customers where size(tags) > least"), work, name)


@since("4.0")
@case
def variable_dropped(spark: SparkSession, work: str) -> object:
    one_by_one(
        spark,
        "declare or replace variable gone bigint",
        "set var gone = (select min(id) from orders)",
        "drop temporary variable gone",
        "declare variable gone bigint default 2",
    )
    write(spark.sql("select name from customers where size(tags) > gone"), work, "variable_dropped")


@since("4.0")
@case
def variable_of_a_variable(spark: SparkSession, work: str) -> object:
    """Several at once; a default and a value that use another variable; a condition in an update of one."""
    name = "variable_of_a_variable"
    one_by_one(
        spark,
        "declare or replace variable first_id bigint",
        "declare or replace variable who string",
        "set variable (first_id, who) = (select id, customer from orders order by id limit 1)",
        "declare or replace variable next_id bigint default first_id + 1",
        "declare or replace variable later bigint",
        "set var later = next_id * 2",
    )
    write(spark.sql("select name from customers where name = who"), work, name)
    write(spark.sql("select name from customers where size(tags) = later"), work, name)


@since("4.0")
@case
def variable_in_a_subquery(spark: SparkSession, work: str) -> object:
    """In a subquery, a temporary view, LIMIT, ORDER BY, and in a statement that makes a table."""
    name = "variable_in_a_subquery"
    one_by_one(
        spark,
        "declare or replace variable floor int",
        "set var floor = (select avg(who_count) from (select count(*) who_count from big_orders group by who))",
        "create or replace temporary view above as select id from orders where amount > floor",
    )
    write(spark.sql("select name from customers where size(tags) in (select id from above)"), work, name)
    write(spark.sql("select name from customers limit floor"), work, name)
    write(spark.sql("select name from customers order by floor"), work, name)
    spark.sql("drop table if exists floored")
    spark.sql("create table floored using parquet as select name, floor from customers")


@since("4.0")
@case
def variables_of_two_sessions(spark: SparkSession, work: str) -> object:
    name = "variables_of_two_sessions"
    other = spark.newSession()
    for each in (spark, other):
        each.sql("declare or replace variable same bigint default 1")
    spark.sql("set var same = (select min(id) from cases.orders)")
    write(other.sql("select name from cases.customers where size(tags) > same"), work, name)
    write(spark.sql("select name from cases.customers where size(tags) > same"), work, name)


@since("4.0")
@case
def variable_not_set(spark: SparkSession, work: str) -> object:
    """A SET that fails leaves the value that was there."""
    spark.sql("declare or replace variable kept int")
    spark.sql("set var kept = (select min(id) from orders)")
    with pytest.raises(Exception, match="is not true"):
        spark.sql("set var kept = (select assert_true(size(tags) < 0) from customers)").collect()
    write(spark.sql("select value from text.`" + work + "/in/lines` limit kept"), work, "variable_not_set")


@since("4.0")
@case
def execute_immediate(spark: SparkSession, work: str) -> object:
    """Its statement is run as if it stood there, once; INTO sets variables."""
    one_by_one(
        spark,
        "execute immediate 'insert into sink select customer, amount from orders where id < ?' using 7",
        "declare or replace variable top bigint",
        "execute immediate 'select max(id) from orders where day = :day' into top using 'mon' as day",
        "insert into sink select name, 1.0 from customers where size(tags) < top",
        "declare or replace variable statement string default 'insert into sink select name, 2.0 from customers'",
        "execute immediate statement",
    )


@since("4.0")
@case
def execute_immediate_as_a_query(spark: SparkSession, work: str) -> object:
    write(spark.sql("execute immediate 'select id, customer from orders'"), work, "execute_immediate_as_a_query")


def script(text: str) -> Case:
    """Return a script in SQL as a case, under the name that its first comment has."""

    def run(spark: SparkSession, work: str) -> object:
        spark.conf.set("spark.sql.scripting.enabled", "true")  # off in 4.0
        spark.sql(text)

    run.__name__, run.__module__, run.__doc__ = text.split()[1], __name__, text
    return since("4.0")(case(run))


script("""-- script_with_branches
begin
  declare most bigint default 4;
  set most = (select max(id) from orders);
  insert into sink select name, 1.0 from customers where size(tags) < most;
  if (select count(*) from customers) > 0 then
    insert into sink select customer, case when amount > 1 then amount else 0 end from orders;
  else
    insert into sink select 'never; run', 1.0;
  end if;
  while most > 0 do
    set most = 0;
    insert into sink select name, 2.0 from customers where size(tags) > most;
  end while;
end""")

script("""-- script_with_loops
begin
  for each_order as select id, customer from orders limit 2 do
    insert into sink select name, 1.0 from customers where name = each_order.customer;
    for each_customer as select name from customers do
      insert into sink select k, 2.0 from parted where k = each_customer.name;
    end for;
    insert into sink select k, 3.0 from parted where k = customer;
  end for;
  for each_order as select name customer from customers do
    insert into sink select k, 4.0 from parted where k = each_order.customer;
  end for;
end""")

script("""-- script_with_blocks
begin
  declare least bigint default 0;
  inner_block: begin
    declare least bigint default 1;
    set least = (select min(id) from orders);
    insert into sink select name, 1.0 from customers where size(tags) > least;
  end inner_block;
  drop table if exists scripted; /* then; begin */
  -- else; begin
  create table scripted using parquet
    as with c as (select name, case when size(tags) > 1 then ';' else 'begin' end `a;b` from customers)
       select name, `a;b` marks from c; -- of all
  insert into sink select name, 2.0 from customers where size(tags) > least;
end""")

script("""-- script_with_a_handler
begin
  declare exit handler for sqlexception
    begin
      insert into sink select customer, -1.0 from orders;
    end;
  insert into sink select name, 1.0 from customers;
  insert into sink select name, cast(raise_error(name) as double) from customers;
  insert into sink select 'never', 1.0;
end""")

script("""-- script_that_executes_immediately
begin
  declare statement string default 'insert into sink select customer, amount from orders where id > ?';
  declare most bigint;
  execute immediate statement using 3;
  execute immediate 'select max(id) from orders' into most;
  insert into sink select name, 1.0 from customers where size(tags) = most;
end""")
