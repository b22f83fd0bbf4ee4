import {
  MEMO_PROGRAM as MEMO_V3_PROGRAM,
  MEMO_V1_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from './encode/program-ids.ts';

/** Addresses of programs that the ledger itself has to know; those with a parsed form are in encode/program-ids.ts. */
export const CONFIG_PROGRAM = 'Config1111111111111111111111111111111111111';
export const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';
export const NATIVE_LOADER = 'NativeLoader1111111111111111111111111111111';
export const LOADER_DEPRECATED = 'BPFLoader1111111111111111111111111111111111';
export const LOADER_V4 = 'LoaderV411111111111111111111111111111111111';
export const FEATURE_PROGRAM = 'Feature111111111111111111111111111111111111';
export const ED25519_PROGRAM = 'Ed25519SigVerify111111111111111111111111111';
export const SECP256K1_PROGRAM = 'KeccakSecp256k11111111111111111111111111111';
export const SECP256R1_PROGRAM = 'Secp256r1SigVerify1111111111111111111111111';

/** The newest memo program. */
export const MEMO_V4_PROGRAM = 'Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH';

/** The memo programs, whose instructions getSignaturesForAddress quotes. */
export const MEMO_PROGRAMS: ReadonlySet<string> = new Set([
  MEMO_V1_PROGRAM,
  MEMO_V3_PROGRAM,
  MEMO_V4_PROGRAM,
]);

/** Whether an address is one of the two token programs. */
export function isTokenProgram(address: string): boolean {
  return address === TOKEN_PROGRAM || address === TOKEN_2022_PROGRAM;
}
