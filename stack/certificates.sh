#!/bin/sh
# Makes a throw-away CA and a broker's certificate for docker-compose.yml, once, and shows the CA's to the host.
#   certificates.sh PRIVATE_FOLDER REPOSITORY
# Without containers `stack/certificates.py` does the same.
set -eu
umask 022
private=$1
repository=$2

if [ ! -s "$private/broker.pem" ] || [ ! -s "$private/ca.pem" ]; then
    cd "$private"
    cat > openssl.cnf <<'CONFIGURATION'
[req]
distinguished_name = name
prompt = no
[name]
CN = sac_kafka local stack
[ca]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[broker]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = DNS:localhost, IP:127.0.0.1
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
CONFIGURATION
    for key in ca broker; do
        openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$key.key"
    done
    openssl req -x509 -new -config openssl.cnf -extensions ca -key ca.key -days 3650 -out ca.pem
    openssl req -new -config openssl.cnf -subj "/CN=localhost" -key broker.key -out broker.csr
    openssl x509 -req -in broker.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 3650 \
        -extfile openssl.cnf -extensions broker -out broker.crt
    cat broker.key broker.crt ca.pem > broker.pem.new
    mv broker.pem.new broker.pem # readable for all: the broker's container runs as another user
    rm -f ca.key broker.key broker.csr broker.crt ca.srl openssl.cnf
fi

# The folders belong to whom the repository belongs, not to the container's root.
owner=$(stat -c %u:%g "$repository")
folder=$repository
for name in build stack kafka certificates; do
    folder=$folder/$name
    if [ ! -d "$folder" ]; then
        mkdir "$folder"
        chown "$owner" "$folder"
    fi
done
cp "$private/ca.pem" "$folder/ca.pem"
chown "$owner" "$folder/ca.pem"
