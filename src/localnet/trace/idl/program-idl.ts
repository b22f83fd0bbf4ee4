/** A type of an IDL, unread: it is read while a value is decoded. */
export type IdlType = unknown;
export type IdlField = { readonly name: string; readonly type: IdlType };

export type IdlInstruction = {
  readonly name: string;
  /** The first bytes of its data. */
  readonly discriminator: Uint8Array;
  /** Names of its accounts; those of a group have the name of the group before a dot. */
  readonly accounts: readonly string[];
  readonly args: readonly IdlField[];
};

/** What a trace needs of an IDL. */
export type ProgramIdl = {
  readonly name: string | null;
  /** Those with the longest discriminator first. */
  readonly instructions: readonly IdlInstruction[];
  /** Definitions by name, unread. */
  readonly types: ReadonlyMap<string, unknown>;
  /** Words by code. */
  readonly errors: ReadonlyMap<number, string>;
};
