import { startLocalnetNode } from '../../support/localnet-node.ts';
import { testWeb3jsSubscriptions } from '../../support/web3js-subscriptions.ts';

testWeb3jsSubscriptions(startLocalnetNode);
