/** Returns a secret in groups of four, as it is easiest to type. */
export function groupSecret(secret: string): string {
  return secret.replaceAll(/(.{4})(?=.)/g, '$1 ');
}
