#!/bin/sh
# Submits a job that the image has, with the configuration of the secret `lineage` mounted into its driver:
#   kubectl create secret generic lineage --from-file=atlas-application.properties --from-file=ca.pem
#   KUBERNETES=https://kubernetes.example.com:6443 IMAGE=registry.example.com/spark-lineage submit.sh local:///opt/job/job.py
set -eu
: "${KUBERNETES:?the address of the API server}" "${IMAGE:?the image, as examples/kubernetes/Dockerfile makes it}"
exec spark-submit --master "k8s://$KUBERNETES" --deploy-mode cluster \
    --conf "spark.kubernetes.container.image=$IMAGE" \
    --conf spark.kubernetes.authenticate.driver.serviceAccountName=spark \
    --conf spark.kubernetes.driver.secrets.lineage=/etc/sac_kafka \
    --conf spark.kubernetes.driverEnv.ATLAS_CONF=/etc/sac_kafka \
    --conf spark.kubernetes.driverEnv.SAC_KAFKA_AUTO=1 \
    --conf spark.kubernetes.driver.volumes.persistentVolumeClaim.spool.mount.path=/var/spool/sac_kafka \
    --conf spark.kubernetes.driver.volumes.persistentVolumeClaim.spool.options.claimName=lineage-spool \
    "$@"
