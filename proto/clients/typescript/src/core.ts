// Core memory: blocks of text that are part of every prompt. `Memory.core`.
import { Status, type CallOptions, type Client } from "nice-grpc";
import { ClientError } from "nice-grpc-common";
import { CoreMemoryServiceDefinition } from "../generated/node/kimberly/v1/core_memory_service.js";
import type { Memory as Block, MemoryReceipt } from "../generated/node/kimberly/v1/memory.js";
import { NamedRecordServiceDefinition } from "../generated/node/kimberly/v1/named_record_service.js";

export type { Block };

interface In {
  namespace?: string;
}

/** Blocks of core memory by label: system, persona, human, facts, goals, scratch, or your own. */
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

  /** Returns all blocks, ordered by label. A block is a memory with the name `core/LABEL`. */
  async list({ namespace = "" }: In = {}): Promise<Block[]> {
    const { userId } = this.#write();
    return (await this.#blocks.listBlocks({ userId, namespace }, this.#within())).blocks;
  }

  /** Returns a block, or undefined if there is none with this label. */
  async get(label: string, where: In = {}): Promise<Block | undefined> {
    return (await this.list(where)).find((block) => block.name === `core/${label}`);
  }

  /** Sets the text of a block, which is added if missing. Omitted options stay unchanged. */
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

  /** Appends a text to an existing block, on a new line. */
  async append(label: string, text: string, { namespace = "" }: In = {}): Promise<MemoryReceipt> {
    const edit = { namespace, name: `core/${label}`, append: text };
    return (await this.#named.editRecord({ ...this.#write(), ...edit }, this.#within())).receipt!;
  }

  /** Replaces a text in a block. Fails unless the block contains it exactly once. */
  async replace(label: string, old: string, text: string, { namespace = "" }: In = {}): Promise<MemoryReceipt> {
    const edit = { namespace, name: `core/${label}`, replace: { old, new: text } };
    return (await this.#named.editRecord({ ...this.#write(), ...edit }, this.#within())).receipt!;
  }

  /** Removes a block. Like any memory it can be restored for a while. */
  async remove(label: string, { namespace = "" }: In = {}): Promise<MemoryReceipt> {
    return (await this.#blocks.removeBlock({ ...this.#write(), namespace, label }, this.#within())).receipt!;
  }

  /** Returns all blocks as one text for the prompt, in `<core_memory>` tags. */
  async render({ namespace = "" }: In = {}): Promise<string> {
    const { userId } = this.#write();
    return (await this.#blocks.renderCoreMemory({ userId, namespace }, this.#within())).text;
  }
}
