import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './program-ids.ts';

/** True for the addresses of the two token programs. */
export function isTokenProgram(address: string): boolean {
  return address === TOKEN_PROGRAM || address === TOKEN_2022_PROGRAM;
}
