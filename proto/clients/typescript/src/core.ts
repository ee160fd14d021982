// Core memory: blocks of text that stand in every prompt. `Memory.core`.
import { Status, type CallOptions, type Client } from "nice-grpc";
import { ClientError } from "nice-grpc-common";
import { CoreMemoryServiceDefinition } from "../generated/node/kimberly/v1/core_memory_service.js";
import type { Memory as Block, MemoryReceipt } from "../generated/node/kimberly/v1/memory.js";
import { NamedRecordServiceDefinition } from "../generated/node/kimberly/v1/named_record_service.js";

export type { Block };

interface In {
  namespace?: string;
}

/** Blocks of core memory, by their labels: system, persona, human, facts, goals, scratch, or your own. */
export class Core {
  readonly #blocks;
  readonly #named;
  readonly #write;
  readonly #within;

  constructor(
    blocks: Client<typeof CoreMemoryServiceDefinition>,
    named: Client<typeof NamedRecordServiceDefinition>,
    write: () => { userId: string; requestId: string },
    within: () => CallOptions,
  ) {
    this.#blocks = blocks;
    this.#named = named;
    this.#write = write;
    this.#within = within;
  }

  /** All blocks, by label; a block is a memory named `core/` and its label. */
  async list({ namespace = "" }: In = {}): Promise<Block[]> {
    const { userId } = this.#write();
    return (await this.#blocks.listBlocks({ userId, namespace }, this.#within())).blocks;
  }

  /** A block, if there is one. */
  async get(label: string, where: In = {}): Promise<Block | undefined> {
    return (await this.list(where)).find((block) => block.name === `core/${label}`);
  }

  /** Gives a block this text, and adds the block if there is none. What is left out stays as it is. */
  async set(
    label: string,
    content: string,
    { namespace = "", description, readOnly }: In & { description?: string; readOnly?: boolean } = {},
  ): Promise<MemoryReceipt> {
    const said = { namespace, label, content, description, readOnly };
    try {
      return (await this.#blocks.updateBlock({ ...this.#write(), ...said }, this.#within())).receipt!;
    } catch (error) {
      if (!(error instanceof ClientError && error.code === Status.NOT_FOUND)) throw error;
    }
    return (await this.#blocks.addBlock({ ...this.#write(), ...said }, this.#within())).receipt!;
  }

  /** Adds a text to a block that is there, on a line of its own. */
  async append(label: string, text: string, { namespace = "" }: In = {}): Promise<MemoryReceipt> {
    const edit = { namespace, name: `core/${label}`, append: text };
    return (await this.#named.editRecord({ ...this.#write(), ...edit }, this.#within())).receipt!;
  }

  /** Replaces a text that stands in a block exactly once. */
  async replace(label: string, old: string, text: string, { namespace = "" }: In = {}): Promise<MemoryReceipt> {
    const edit = { namespace, name: `core/${label}`, replace: { old, new: text } };
    return (await this.#named.editRecord({ ...this.#write(), ...edit }, this.#within())).receipt!;
  }

  /** Removes a block; it can be restored for a while, as any memory. */
  async remove(label: string, { namespace = "" }: In = {}): Promise<MemoryReceipt> {
    return (await this.#blocks.removeBlock({ ...this.#write(), namespace, label }, this.#within())).receipt!;
  }

  /** All blocks as one text for the prompt, `<core_memory>`. */
  async render({ namespace = "" }: In = {}): Promise<string> {
    const { userId } = this.#write();
    return (await this.#blocks.renderCoreMemory({ userId, namespace }, this.#within())).text;
  }
}
