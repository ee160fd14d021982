import com.google.gson.Gson;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import io.grpc.CallCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import kimberly.v1.CreateMemoryRequest;
import kimberly.v1.DeleteMemoryRequest;
import kimberly.v1.MeditateRequest;
import kimberly.v1.MeditationServiceGrpc;
import kimberly.v1.MeditationServiceGrpc.MeditationServiceBlockingStub;
import kimberly.v1.MemoryDraft;
import kimberly.v1.MemoryReceipt;
import kimberly.v1.MemoryServiceGrpc;
import kimberly.v1.MemoryServiceGrpc.MemoryServiceBlockingStub;
import kimberly.v1.QueryMemoriesRequest;
import kimberly.v1.WatchMeditationRequest;

/**
 * An example session: connect, remember, recall, read an error, follow a stream, forget.
 *
 * <p>Usage: Session [ADDRESS] [SERVICE_CONFIG]. Sends KIMBERLY_TOKEN as the credential, if set.
 */
public final class Session {
  private static final String USER = "ana";
  // Set a deadline for every call.
  private static final int DEADLINE_SECONDS = 5;

  private final MemoryServiceBlockingStub memories;
  private final MeditationServiceBlockingStub meditations;

  private Session(ManagedChannel channel, CallCredentials credentials) {
    memories = MemoryServiceGrpc.newBlockingStub(channel).withCallCredentials(credentials);
    meditations = MeditationServiceGrpc.newBlockingStub(channel).withCallCredentials(credentials);
  }

  public static void main(String[] arguments) throws Exception {
    String address = arguments.length > 0 ? arguments[0] : "127.0.0.1:7420";
    Path serviceConfig = Path.of(arguments.length > 1 ? arguments[1] : "service_config.json");
    ManagedChannel channel = connect(address, serviceConfig);
    try {
      Session session = new Session(channel, bearer(System.getenv("KIMBERLY_TOKEN")));
      MemoryReceipt receipt = session.remember();
      session.recall();
      session.readAnError();
      session.followAMeditation();
      session.forget(receipt);
    } finally {
      channel.shutdown().awaitTermination(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }
  }

  /** Opens a channel that retries UNAVAILABLE (up to 4 attempts, with backoff) and detects dead connections. */
  @SuppressWarnings("unchecked") // the keys of a JSON object are strings
  private static ManagedChannel connect(String address, Path serviceConfig) throws IOException {
    try (Reader json = Files.newBufferedReader(serviceConfig)) {
      return Grpc.newChannelBuilder(address, InsecureChannelCredentials.create())
          .defaultServiceConfig(new Gson().fromJson(json, Map.class))
          .enableRetry()
          .keepAliveTime(1, TimeUnit.MINUTES)
          .keepAliveTimeout(20, TimeUnit.SECONDS)
          .build();
    }
  }

  /** Returns the credential of every call, or null. */
  private static CallCredentials bearer(String token) {
    if (token == null || token.isEmpty()) {
      return null;
    }
    return new CallCredentials() {
      @Override
      public void applyRequestMetadata(RequestInfo request, Executor executor, MetadataApplier applier) {
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
        applier.apply(headers);
      }

      @Override
      public void thisUsesUnstableApi() {}
    };
  }

  private MemoryServiceBlockingStub memories() {
    return memories.withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  private MemoryReceipt remember() {
    MemoryDraft.Builder draft =
        MemoryDraft.newBuilder().setContent("Ana's train to Lisbon leaves on Friday at 9:40.").setSpeaker("Ana");
    draft.getMetadataBuilder().addTags("travel");
    CreateMemoryRequest request =
        CreateMemoryRequest.newBuilder()
            .setUserId(USER)
            .setMemory(draft)
            // Makes retries safe: the same id with the same body is stored once.
            .setRequestId(UUID.randomUUID().toString())
            .build();
    MemoryReceipt receipt = memories().createMemory(request).getReceipt();
    System.out.printf("remembered %d bytes as %s%n", receipt.getSizeBytes(), receipt.getId());
    return receipt;
  }

  private void recall() {
    QueryMemoriesRequest request =
        QueryMemoriesRequest.newBuilder().setUserId(USER).setQuery("When does the train leave?").setTopK(3).build();
    memories()
        .queryMemories(request)
        .getResultsList()
        .forEach(found -> System.out.printf("recalled %.2f  %s%n", found.getScore(), found.getMemory().getContent()));
  }

  /** Reads an error: its reason says what happened, its details say where. */
  private void readAnError() throws InvalidProtocolBufferException {
    try {
      memories().createMemory(
          CreateMemoryRequest.newBuilder().setUserId(USER).setMemory(MemoryDraft.getDefaultInstance()).build());
    } catch (StatusRuntimeException error) {
      for (com.google.protobuf.Any detail : StatusProto.fromThrowable(error).getDetailsList()) {
        if (detail.is(ErrorInfo.class)) {
          String reason = detail.unpack(ErrorInfo.class).getReason();
          System.out.printf("refused with %s, %s%n", error.getStatus().getCode(), reason);
        } else if (detail.is(BadRequest.class)) {
          System.out.printf("the field is %s%n", detail.unpack(BadRequest.class).getFieldViolations(0).getField());
        }
      }
    }
  }

  /** Follows a stream: the progress of a meditation. */
  private void followAMeditation() {
    MeditationServiceBlockingStub bounded = meditations.withDeadlineAfter(1, TimeUnit.MINUTES);
    String id = bounded.meditate(MeditateRequest.newBuilder().setUserId(USER).build()).getMeditation().getId();
    bounded
        .watchMeditation(WatchMeditationRequest.newBuilder().setUserId(USER).setId(id).build())
        .forEachRemaining(
            event -> {
              if (event.hasProgress()) {
                System.out.printf("meditation: %s%n", event.getProgress().getStatus());
              }
            });
  }

  /** Deletes a memory, which can be restored until its deletion time. */
  private void forget(MemoryReceipt receipt) {
    DeleteMemoryRequest request =
        DeleteMemoryRequest.newBuilder().setUserId(USER).setId(receipt.getId()).setEtag(receipt.getEtag()).build();
    MemoryReceipt deleted = memories().deleteMemory(request).getReceipt();
    System.out.printf(
        "forgot %s, restorable until %tF%n", deleted.getId(), deleted.getDeleteAfter().getSeconds() * 1000);
  }
}
