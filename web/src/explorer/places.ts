// The pages of the chain that stand side by side.

export const places = ['/chain', '/chain/stats', '/verify'] as const;
