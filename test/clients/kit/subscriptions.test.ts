import { testKitSubscriptions } from '../../support/kit-subscriptions.ts';
import { startKeyslotNode } from '../../support/subscribable-node.ts';

testKitSubscriptions(startKeyslotNode);
