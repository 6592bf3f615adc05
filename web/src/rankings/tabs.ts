/** The tabs of the ranking pages. */
export const tabs = ['/leaderboard', '/season', '/daily', '/achievements', '/feed'] as const;
