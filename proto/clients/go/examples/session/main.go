// Command session is an example session: connect, remember, recall, read an error, follow a stream, forget.
//
// Usage: session [-config service_config.json] [ADDRESS]. Sends KIMBERLY_TOKEN as the credential, if set.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	kimberly "kimberly.internal/client/kimberly/v1"
)

const (
	user = "ana"
	// Set a deadline for every call.
	deadline = 5 * time.Second
)

// bearer is the credential of every call.
type bearer string

func (token bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(token)}, nil
}

// RequireTransportSecurity is false because Kimberly listens on loopback.
func (token bearer) RequireTransportSecurity() bool { return false }

// connect opens a connection that retries UNAVAILABLE (up to 4 attempts, with backoff) and detects when it is dead.
func connect(address, serviceConfig string) (*grpc.ClientConn, error) {
	config, err := os.ReadFile(serviceConfig)
	if err != nil {
		return nil, err
	}
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(string(config)),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: time.Minute, Timeout: 20 * time.Second}),
	}
	if token := os.Getenv("KIMBERLY_TOKEN"); token != "" {
		options = append(options, grpc.WithPerRPCCredentials(bearer(token)))
	}
	return grpc.NewClient(address, options...)
}

func main() {
	serviceConfig := flag.String("config", "service_config.json", "the gRPC service config")
	flag.Parse()
	address := "127.0.0.1:7420"
	if flag.NArg() > 0 {
		address = flag.Arg(0)
	}
	connection, err := connect(address, *serviceConfig)
	if err != nil {
		log.Fatal(err)
	}
	defer connection.Close()
	if err := session(kimberly.NewMemoryServiceClient(connection), kimberly.NewMeditationServiceClient(connection)); err != nil {
		log.Fatal(err)
	}
}

func session(memories kimberly.MemoryServiceClient, meditations kimberly.MeditationServiceClient) error {
	receipt, err := remember(memories)
	if err != nil {
		return err
	}
	if err := recall(memories); err != nil {
		return err
	}
	if err := refused(memories); err != nil {
		return err
	}
	if err := meditate(meditations); err != nil {
		return err
	}
	return forget(memories, receipt)
}

func remember(memories kimberly.MemoryServiceClient) (*kimberly.MemoryReceipt, error) {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	created, err := memories.CreateMemory(ctx, &kimberly.CreateMemoryRequest{
		UserId: user,
		Memory: &kimberly.MemoryDraft{
			Content:  "Ana's train to Lisbon leaves on Friday at 9:40.",
			Speaker:  "Ana",
			Metadata: &kimberly.Metadata{Tags: []string{"travel"}},
		},
		// Makes retries safe: the same id with the same body is stored once.
		RequestId: fmt.Sprintf("session-%d", time.Now().UnixNano()),
	})
	if err != nil {
		return nil, err
	}
	fmt.Printf("remembered %d bytes as %s\n", created.GetReceipt().GetSizeBytes(), created.GetReceipt().GetId())
	return created.GetReceipt(), nil
}

func recall(memories kimberly.MemoryServiceClient) error {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	answer, err := memories.QueryMemories(ctx, &kimberly.QueryMemoriesRequest{
		UserId: user, Query: "When does the train leave?", TopK: 3,
	})
	if err != nil {
		return err
	}
	for _, result := range answer.GetResults() {
		fmt.Printf("recalled %.2f  %s\n", result.GetScore(), result.GetMemory().GetContent())
	}
	return nil
}

// refused reads an error: its reason says what happened, its details say where.
func refused(memories kimberly.MemoryServiceClient) error {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	_, err := memories.CreateMemory(ctx, &kimberly.CreateMemoryRequest{UserId: user, Memory: &kimberly.MemoryDraft{}})
	failure := status.Convert(err)
	for _, detail := range failure.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			fmt.Printf("refused with %s, %s\n", failure.Code(), detail.GetReason())
		case *errdetails.BadRequest:
			fmt.Printf("the field is %s\n", detail.GetFieldViolations()[0].GetField())
		}
	}
	if len(failure.Details()) == 0 {
		return fmt.Errorf("should have been refused with details: %w", err)
	}
	return nil
}

// meditate follows a stream: the progress of a meditation.
func meditate(meditations kimberly.MeditationServiceClient) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	started, err := meditations.Meditate(ctx, &kimberly.MeditateRequest{UserId: user})
	if err != nil {
		return err
	}
	events, err := meditations.WatchMeditation(ctx, &kimberly.WatchMeditationRequest{
		UserId: user, Id: started.GetMeditation().GetId(),
	})
	if err != nil {
		return err
	}
	for {
		event, err := events.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if progress := event.GetProgress(); progress != nil {
			fmt.Printf("meditation: %s\n", progress.GetStatus())
		}
	}
}

func forget(memories kimberly.MemoryServiceClient, receipt *kimberly.MemoryReceipt) error {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	deleted, err := memories.DeleteMemory(ctx, &kimberly.DeleteMemoryRequest{
		UserId: user, Id: receipt.GetId(), Etag: receipt.GetEtag(),
	})
	if err != nil {
		return err
	}
	until := deleted.GetReceipt().GetDeleteAfter().AsTime().Format("2006-01-02")
	fmt.Printf("forgot %s, restorable until %s\n", deleted.GetReceipt().GetId(), until)
	return nil
}
