// Files of the memory tool of assistants, under /memories. `Memory.files`.
import type { CallOptions, Client } from "nice-grpc";
import { MemoryToolServiceDefinition } from "../generated/node/kimberly/v1/memory_tool_service.js";

interface In {
  namespace?: string;
}

/** A command failed and changed nothing. Pass the message to the assistant as an error. */
export class MemoryToolError extends Error {
  override readonly name = "MemoryToolError";
}

/** Files under /memories. Each method resolves to the output of the tool for the assistant, or rejects with MemoryToolError. */
export class Files {
  readonly #tool;
  readonly #write;
  readonly #within;

  constructor(
    tool: Client<typeof MemoryToolServiceDefinition>,
    write: () => { userId: string; requestId: string },
    within: () => CallOptions,
  ) {
    this.#tool = tool;
    this.#write = write;
    this.#within = within;
  }

  /** Runs a command as an assistant sends it, such as `{ command: "view", path: "/memories" }`. */
  async run(command: Readonly<Record<string, unknown>>, { namespace = "" }: In = {}): Promise<string> {
    const request = { ...this.#write(), namespace, command: JSON.stringify(command) };
    const { output, isError } = await this.#tool.runMemoryTool(request, this.#within());
    if (isError) throw new MemoryToolError(output);
    return output;
  }

  /** Shows a file with line numbers, or lists a directory. `range` selects lines of a file: from 1, -1 is the last. */
  async view(path = "/memories", { range, ...where }: In & { range?: readonly [number, number] } = {}): Promise<string> {
    return this.run({ command: "view", path, view_range: range }, where);
  }

  /** Creates a file. Fails if there is one. */
  async create(path: string, text: string, where: In = {}): Promise<string> {
    return this.run({ command: "create", path, file_text: text }, where);
  }

  /** Replaces a text in a file. Fails unless the file contains it exactly once. */
  async strReplace(path: string, old: string, text: string, where: In = {}): Promise<string> {
    return this.run({ command: "str_replace", path, old_str: old, new_str: text }, where);
  }

  /** Inserts a text after a line; 0 inserts it at the beginning. */
  async insert(path: string, line: number, text: string, where: In = {}): Promise<string> {
    return this.run({ command: "insert", path, insert_line: line, insert_text: text }, where);
  }

  /** Deletes a file or a directory. Like any memory, files can be restored for a while. */
  async delete(path: string, where: In = {}): Promise<string> {
    return this.run({ command: "delete", path }, where);
  }

  /** Renames a file or a directory. */
  async rename(path: string, newPath: string, where: In = {}): Promise<string> {
    return this.run({ command: "rename", old_path: path, new_path: newPath }, where);
  }
}
