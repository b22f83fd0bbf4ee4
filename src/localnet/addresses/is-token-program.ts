import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './program-ids.ts';

/** Whether an address is one of the two token programs. */
export function isTokenProgram(address: string): boolean {
  return address === TOKEN_PROGRAM || address === TOKEN_2022_PROGRAM;
}
