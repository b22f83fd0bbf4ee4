/** A raw type of an IDL: parsed while a value is decoded. */
export type IdlType = unknown;
export type IdlField = { readonly name: string; readonly type: IdlType };

export type IdlInstruction = {
  readonly name: string;
  /** The first bytes of its data. */
  readonly discriminator: Uint8Array;
  /** Names of its accounts; accounts of a group are prefixed with its name and a dot. */
  readonly accounts: readonly string[];
  readonly args: readonly IdlField[];
};

/** The parts of an IDL that a trace uses. */
export type ProgramIdl = {
  readonly name: string | null;
  /** Sorted by discriminator, the longest first. */
  readonly instructions: readonly IdlInstruction[];
  /** Raw definitions by name. */
  readonly types: ReadonlyMap<string, unknown>;
  /** Error messages by code. */
  readonly errors: ReadonlyMap<number, string>;
};
