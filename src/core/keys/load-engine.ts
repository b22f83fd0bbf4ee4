import type { Logger } from 'pino';
import type { KeyEngine } from './engine.ts';

type LoadNative = () => Promise<KeyEngine>;

/**
 * Loads the native engine; if its module cannot be loaded, the reference engine, with a warning: its keys are the same, but it is ten times
 * slower.
 */
export async function loadKeyEngine(
  log: Pick<Logger, 'warn'>,
  load: LoadNative = loadNative,
): Promise<KeyEngine> {
  try {
    return await load();
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    log.warn({ reason }, 'cannot load sodium-native: creating keys in JavaScript, which is slower');
    return loadReference();
  }
}

/** Loads an engine of the kind that another thread has loaded. */
export async function loadEngineOf(kind: KeyEngine['kind']): Promise<KeyEngine> {
  return kind === 'native' ? loadNative() : loadReference();
}

async function loadNative(): Promise<KeyEngine> {
  const { createNativeEngine } = await import('./native-engine.ts');
  return createNativeEngine();
}

async function loadReference(): Promise<KeyEngine> {
  const { createReferenceEngine } = await import('./reference-engine.ts');
  return createReferenceEngine();
}
