import { startKeyslotNode } from '../../support/subscribable-node.ts';
import { testWeb3jsSubscriptions } from '../../support/web3js-subscriptions.ts';

testWeb3jsSubscriptions(startKeyslotNode);
