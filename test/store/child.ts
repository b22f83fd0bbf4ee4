import pino from 'pino';
import { openStore, type StoreOptions } from '../../src/store/open-store.ts';
import { accounts } from '../../src/store/tables.ts';
import { CHILD_ID } from './crash.ts';

// Runs as a process: opens the store named by its argument, inserts an account, says so, and waits to be killed.

const place = JSON.parse(process.argv[2] ?? '') as StoreOptions;
const store = await openStore(place, pino({ level: 'silent' }));
await store.db.insert(accounts).values({ id: CHILD_ID, kind: 'customer', createdAt: new Date(0) });
process.send?.('inserted');
