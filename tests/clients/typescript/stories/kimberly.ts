// Clients of all services over one channel that retries and reads google.rpc details.
import { createChannel, createClientFactory, type Channel } from "nice-grpc";
import { errorDetailsClientMiddleware } from "nice-grpc-error-details";
import { GoalServiceDefinition } from "../generated/kimberly/v1/goal_service.js";
import { MeditationServiceDefinition } from "../generated/kimberly/v1/meditation_service.js";
import { MemoryServiceDefinition } from "../generated/kimberly/v1/memory_service.js";
import { MetricsServiceDefinition } from "../generated/kimberly/v1/metrics_service.js";
import { SettingsServiceDefinition } from "../generated/kimberly/v1/settings_service.js";

// What clients should ship: calls that found no server are tried again, writes safely so because of `requestId`.
export const SERVICE_CONFIG = JSON.stringify({
  methodConfig: [
    {
      name: [{}],
      retryPolicy: {
        maxAttempts: 4,
        initialBackoff: "0.5s",
        maxBackoff: "5s",
        backoffMultiplier: 2,
        retryableStatusCodes: ["UNAVAILABLE"],
      },
    },
  ],
});

export function connect(address: string) {
  const channel: Channel = createChannel(address, undefined, { "grpc.service_config": SERVICE_CONFIG });
  const factory = createClientFactory().use(errorDetailsClientMiddleware);
  return {
    memories: factory.create(MemoryServiceDefinition, channel),
    meditations: factory.create(MeditationServiceDefinition, channel),
    goals: factory.create(GoalServiceDefinition, channel),
    settings: factory.create(SettingsServiceDefinition, channel),
    metrics: factory.create(MetricsServiceDefinition, channel),
    close: () => channel.close(),
  };
}

export type Kimberly = ReturnType<typeof connect>;
