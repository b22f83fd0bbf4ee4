/** The files of an embedded database are not as it wrote them. The message names them and says what to do. */
export class DamagedStore extends Error {
  override readonly name = 'DamagedStore';

  /** @param what the defect, such as `global/pg_control has only zeros`. */
  constructor(directory: string, what: string) {
    super(
      `files of the embedded database are damaged or missing: ${what}. Stop whatever else writes there, and restore the whole data directory from a backup (docs/security.md, "Backing up"). To begin with an empty store instead, move ${directory} away: its keys, tokens, wallets, money and audit log are not there then`,
    );
  }
}
