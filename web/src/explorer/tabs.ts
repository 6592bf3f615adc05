// The tabs of the chain's pages.

export const tabs = ['/chain', '/chain/stats', '/verify'] as const;
