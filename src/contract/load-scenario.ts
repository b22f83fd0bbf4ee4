const PACKAGES = '@solana/web3.js@1 @solana/spl-token@0.4';

/**
 * Loads what acts the scenario. Its packages are for a run that writes alone, so the package of Keyslot does not bring them.
 *
 * @throws Error that says what to install where they are missing.
 */
export async function loadScenario(): Promise<typeof import('./scenario.ts')> {
  return await import('./scenario.ts').catch((error: unknown) => {
    if (!isMissingPackage(error)) throw error;
    throw new Error(`--allow-writes needs packages that are not installed: npm install ${PACKAGES}`);
  });
}

function isMissingPackage(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
}
