// What ranks exchange with each other, without tensors: threads load it in little time.
export { checkOffer, type LocalPeer, localPeers } from "./together/local-peers.js";
export { type ExchangeStats, PairExchange, type Swap } from "./together/pair-exchange.js";
export { PairSums } from "./together/pair-sums.js";
export type { ExchangeLane, Peers, RankLinks, Values } from "./together/peers.js";
export { SwapBox, SwapTimeout } from "./together/swap-box.js";
