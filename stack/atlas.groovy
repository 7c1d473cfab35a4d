// Starts Solr on loopback and then Atlas, in one Java process; run by stack/atlas.py with the Groovy that the war carries.
//   atlas.groovy SOLR_HOME SOLR_PORT WEB_APPLICATION
// Atlas' own embedded Solr is a cluster of one with a ZooKeeper: both listen on every address of the machine, the index
// is gone after a restart, and the start takes ten seconds longer.
import org.apache.solr.client.solrj.embedded.JettyConfig
import org.apache.solr.client.solrj.embedded.JettySolrRunner

def (solrHome, solrPort, webApplication) = args
def solr = new JettySolrRunner(solrHome, new Properties(), JettyConfig.builder().setContext('/solr').setPort(solrPort as int).build())
solr.@server.connectors.each { it.host = '127.0.0.1' }
solr.start()
org.apache.atlas.Atlas.main('-app', webApplication)
