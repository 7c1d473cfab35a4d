#!/bin/sh
# Runs the demo's job as a user would: spark-submit, and a properties file made from the repository's template.
#   KAFKA_BOOTSTRAP=HOST:PORT KAFKA_CA_FILE=FILE demo-job.sh REPOSITORY WORK_FOLDER
set -eu
repository=$1
work=$2
: "${KAFKA_BOOTSTRAP:?the address of the SASL_SSL listener}" "${KAFKA_CA_FILE:?the certificate that it shows is of this CA}"

mkdir -p "$work/conf"
sed -e "s|^atlas.kafka.bootstrap.servers=.*|atlas.kafka.bootstrap.servers=$KAFKA_BOOTSTRAP|" \
    -e "s|^atlas.kafka.ssl.truststore.location=.*|atlas.kafka.ssl.truststore.location=$KAFKA_CA_FILE|" \
    "$repository/atlas-application.properties" > "$work/conf/atlas-application.properties"
cd "$work" # the warehouse and the undelivered messages, if any, are here
exec spark-submit --master 'local[2]' \
    --driver-java-options "-Datlas.conf=$work/conf -Dderby.system.home=$work" \
    "$repository/demo/job.py" "$repository/demo/data" "$work/lake"
