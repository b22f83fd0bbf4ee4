import { testKitSubscriptions } from '../../support/kit-subscriptions.ts';
import { startLocalnetNode } from '../../support/localnet-node.ts';

testKitSubscriptions(startLocalnetNode);
