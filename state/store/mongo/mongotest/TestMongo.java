import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.AbstractMongoBackend;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import io.netty.channel.Channel;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

/**
 * A server that speaks MongoDB's protocol, for tests only.
 *
 * <p>java [-Dwire=N] [-Drouter=true] [-Dhello=false] TestMongo mem|FILE PORT prints "READY port" once it
 * listens on the loopback interface; port 0 takes any free one. It ends when its input does.
 */
public final class TestMongo {
  private static final int WIRE = Integer.getInteger("wire", 13);
  private static final boolean ROUTER = Boolean.getBoolean("router");
  private static final boolean HELLO = !"false".equals(System.getProperty("hello"));
  private static final Set<String> WRITES =
      Set.of("insert", "update", "delete", "findAndModify", "createIndexes", "dropIndexes", "create", "drop", "dropDatabase", "renameCollection");

  private static final ReadWriteLock DOCUMENTS = new ReentrantReadWriteLock();

  private TestMongo() {}

  /** What clients ask a server's version for: the library's own ones are too old for current drivers. */
  record Version() implements MongoVersion {
    @Override
    public List<Integer> getVersionArray() {
      return List.of(5, 0, 0);
    }

    @Override
    public int getWireVersion() {
      return WIRE;
    }
  }

  /** In memory, with the newer handshake. */
  static final class Memory extends MemoryBackend {
    @Override
    public Document handleMessage(MongoMessage m) {
      return isHello(m) ? hello(this, m) : alone(m, () -> super.handleMessage(m));
    }

    @Override
    public Document handleCommand(Channel c, String database, String command, Document query) {
      return shaped(command, super.handleCommand(c, database, command, query));
    }
  }

  /** In a file. A write is answered only after it was committed, so that a killed server loses no answered one. */
  static final class File extends H2Backend {
    File(String name) {
      super(name);
      getMvStore().setRetentionTime(0);
    }

    @Override
    public Document handleMessage(MongoMessage m) {
      return isHello(m) ? hello(this, m) : alone(m, () -> committed(m));
    }

    private Document committed(MongoMessage m) {
      try {
        return super.handleMessage(m);
      } finally {
        if (WRITES.contains(command(m))) {
          commit();
        }
      }
    }

    @Override
    public Document handleCommand(Channel c, String database, String command, Document query) {
      return shaped(command, super.handleCommand(c, database, command, query));
    }
  }

  /**
   * Handles a message while nobody writes, and answers with a copy. The library answers with the documents it
   * keeps and changes them in place, so that a reader could be sent one that is half changed.
   */
  private static Document alone(MongoMessage m, Supplier<Document> handle) {
    Lock lock = WRITES.contains(command(m)) ? DOCUMENTS.writeLock() : DOCUMENTS.readLock();
    lock.lock();
    try {
      return handle.get().cloneDeeply();
    } finally {
      lock.unlock();
    }
  }

  private static String command(MongoMessage m) {
    return m.getDocument().keySet().iterator().next();
  }

  private static boolean isHello(MongoMessage m) {
    return HELLO && command(m).equals("hello");
  }

  private static Document hello(AbstractMongoBackend b, MongoMessage m) {
    Document d = b.handleCommand(m.getChannel(), m.getDatabaseName(), "isMaster", m.getDocument());
    d.put("isWritablePrimary", true);
    return d;
  }

  private static Document shaped(String command, Document d) {
    if (ROUTER && command.equalsIgnoreCase("isMaster")) {
      d.put("msg", "isdbgrid");
    }
    return d;
  }

  public static void main(String[] args) throws java.io.IOException {
    AbstractMongoBackend backend = args[0].equals("mem") ? new Memory() : new File(args[0]);
    backend.version(new Version());
    MongoServer server = new MongoServer(backend);
    server.bind("127.0.0.1", Integer.parseInt(args[1]));
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
    System.out.println("READY " + server.getLocalAddress().getPort());
    System.out.flush();
    while (System.in.read() >= 0) {
      // ends with the process that started it, however that ended
    }
    System.exit(0);
  }
}
