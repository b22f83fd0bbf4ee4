import { flushCompileCache } from 'node:module';
import { afterAll } from 'vitest';

// A test process is ended by a signal, so that it would not keep what it has compiled.
afterAll(() => flushCompileCache());
