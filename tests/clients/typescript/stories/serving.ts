// The set-up of most test files: the three processes, and clients of the api.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before } from "node:test";
import { connect, type Kimberly } from "./kimberly.js";
import { Processes } from "./processes.js";

// Starts the processes for the tests of a `describe`. Returns clients that work from the first test on.
export function serving(): Kimberly {
  const kimberly = {} as Kimberly;
  let processes: Processes;

  before(async () => {
    processes = await Processes.start();
    Object.assign(kimberly, connect(processes.api));
  });

  after(async () => {
    kimberly.close();
    assert.deepEqual(await processes.stop(), [0, 0, 0], "a process did not stop in order");
  });

  return kimberly;
}

export const newUser = () => `typescript-${randomUUID()}`;
