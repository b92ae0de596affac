import java.io.File;
import java.io.FileWriter;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.MiniYARNCluster;

/**
 * A NameNode, a DataNode and, if asked for, a ResourceManager with one NodeManager, in this one process, on loopback.
 *
 * Arguments: the directory for its data, the directory for the clients' configuration, and "hdfs" or "yarn". It writes
 * core-site.xml (and yarn-site.xml), prints "READY hdfs://HOST:PORT" and lives until its standard input ends.
 */
public final class MiniCluster {
    public static void main(String[] arguments) throws Exception {
        File data = new File(arguments[0]);
        File configurationDirectory = new File(arguments[1]);
        boolean withYarn = arguments[2].equals("yarn");

        Configuration hdfs = new Configuration();
        hdfs.set("hdfs.minidfs.basedir", new File(data, "hdfs").getAbsolutePath());
        hdfs.set("dfs.permissions.enabled", "false"); // the workers of the tests are not the driver's user
        hdfs.set("dfs.replication", "1");
        MiniDFSCluster files = new MiniDFSCluster.Builder(hdfs).numDataNodes(1).format(true).build();
        files.waitActive();
        String url = files.getFileSystem().getUri().toString();

        // Clients get the addresses only: everything else in these objects is the servers' own.
        Configuration clients = new Configuration(false);
        clients.set("fs.defaultFS", url);
        clients.set("dfs.replication", "1");
        // One DataNode: a write that loses it for a moment must not look for another.
        clients.set("dfs.client.block.write.replace-datanode-on-failure.policy", "NEVER");
        write(clients, new File(configurationDirectory, "core-site.xml"));

        MiniYARNCluster yarn = null;
        if (withYarn) {
            YarnConfiguration settings = new YarnConfiguration(hdfs);
            settings.set("fs.defaultFS", url);
            settings.set("yarn.nodemanager.vmem-check-enabled", "false");
            settings.set("yarn.nodemanager.pmem-check-enabled", "false");
            settings.set("yarn.nodemanager.resource.memory-mb", "6144");
            settings.set("yarn.nodemanager.resource.cpu-vcores", "4");
            settings.set("yarn.scheduler.minimum-allocation-mb", "256");
            settings.set("yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "99.0");
            settings.set("yarn.nodemanager.delete.debug-delay-sec", "600"); // logs of containers stay for the test to show
            // The default is written for a class path of jars in Hadoop's own directories, which are not here.
            settings.set("yarn.application.classpath", "");
            settings.set( // the default one needs queues to be described
                "yarn.resourcemanager.scheduler.class",
                "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler");
            yarn = new MiniYARNCluster("mini", 1, 1, 1);
            yarn.init(settings);
            yarn.start();
            yarn.waitForNodeManagersToConnect(60_000);
            Configuration running = yarn.getConfig();
            Configuration site = new Configuration(false);
            for (String name : new String[] {
                "yarn.resourcemanager.address",
                "yarn.resourcemanager.scheduler.address",
                "yarn.resourcemanager.webapp.address",
            }) {
                site.set(name, running.get(name));
            }
            site.set("yarn.application.classpath", "");
            write(site, new File(configurationDirectory, "yarn-site.xml"));
        }
        System.out.println("READY " + url);
        System.out.flush();
        while (System.in.read() >= 0) {
            // the end of standard input is the end of the test, however it ended
        }
        if (yarn != null) {
            yarn.stop();
        }
        files.shutdown(true);
        System.exit(0);
    }

    private static void write(Configuration configuration, File file) throws IOException {
        try (FileWriter writer = new FileWriter(file)) {
            configuration.writeXml(writer);
        }
    }
}
