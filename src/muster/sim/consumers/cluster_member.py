"""A member of a consumer group that looks for its coordinator in a cluster."""

from __future__ import annotations

from muster.sim.cluster_member import ClusterMember
from muster.sim.consumers.member import ConsumerMember


class ClusterConsumer(ClusterMember, ConsumerMember):
    pass
