// The tabs of the chain's pages.

export const tabs = ['/chain', '/chain/stats', '/chain/record', '/verify'] as const;
