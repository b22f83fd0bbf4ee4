import { SERVER_SUITES } from './suites.ts';
import { without } from './without.ts';

without(['ownParser'], SERVER_SUITES);
