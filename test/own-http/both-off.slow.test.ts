import { CLIENT_SUITES, SERVER_SUITES } from './suites.ts';
import { without } from './without.ts';

without(['ownParser', 'ownClient'], [...CLIENT_SUITES, ...SERVER_SUITES]);
