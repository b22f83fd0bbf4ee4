/** The files of an embedded database are damaged. The message names them and says what to do. */
export class DamagedStore extends Error {
  override readonly name = 'DamagedStore';

  /** @param what the defect, such as `global/pg_control has only zeros`. */
  constructor(directory: string, what: string) {
    super(
      `files of the embedded database are damaged or missing: ${what}. Stop every other program that writes there, and restore the whole data directory from a backup (docs/security.md, "Backing up"). To begin with an empty store instead, move ${directory} away: the new store has none of its keys, tokens, wallets, money or audit log`,
    );
  }
}
