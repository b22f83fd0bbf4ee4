/** Returns the text of the file of backup codes that a member downloads. */
export function backupCodeFile(email: string, host: string, codes: readonly string[]): string {
  return [`Backup codes of ${email} for Keyslot at ${host}`, 'Each works once.', '', ...codes, ''].join('\n');
}
