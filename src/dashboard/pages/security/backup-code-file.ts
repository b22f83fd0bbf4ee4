/** Returns the text of the file of backup codes that a member downloads. */
export function backupCodeFile(email: string, host: string, codes: readonly string[]): string {
  return [`Backup codes of ${email} for Keyslot at ${host}`, 'Each works once.', '', ...codes, ''].join('\n');
}

/** Has the browser save a text as a file. */
export function saveText(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
