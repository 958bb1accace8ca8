"""A cluster from Python, with nothing but grpcio and the project's .proto files: submits a job, calls an actor, reads an object.

    pip install grpcio grpcio-tools
    PALIMPSEST_ADDRESS=127.0.0.1:37409 PALIMPSEST_TOKEN=... python3 client.py

It prints one line of JSON. Every call has a deadline.
"""
import json
import os
import queue
import sys
import tempfile
from pathlib import Path

import grpc
from grpc_tools import protoc

from values import Reference, decode, decode_object, encode

HERE = Path(__file__).resolve().parent
PROTOS = HERE.parent.parent / "protos"
SECONDS = 60


def stubs():
    """The modules that protoc makes of the .proto files."""
    out = tempfile.mkdtemp()
    files = [str(path.relative_to(PROTOS)) for path in sorted((PROTOS / "palimpsest/v1").glob("*.proto"))]
    if protoc.main(["protoc", f"-I{PROTOS}", f"--python_out={out}", f"--grpc_python_out={out}", *files]) != 0:
        sys.exit("protoc failed")
    sys.path.insert(0, out)
    import palimpsest.v1.actor_pb2 as actor
    import palimpsest.v1.actor_pb2_grpc as actor_rpc
    import palimpsest.v1.head_pb2 as head
    import palimpsest.v1.head_pb2_grpc as head_rpc
    import palimpsest.v1.job_pb2 as job
    import palimpsest.v1.job_pb2_grpc as job_rpc
    import palimpsest.v1.object_pb2 as objects
    import palimpsest.v1.object_pb2_grpc as objects_rpc

    return actor, actor_rpc, head, head_rpc, job, job_rpc, objects, objects_rpc


actor, actor_rpc, head, head_rpc, job, job_rpc, objects, objects_rpc = stubs()
address = os.environ["PALIMPSEST_ADDRESS"]
authorization = ("authorization", f"Bearer {os.environ['PALIMPSEST_TOKEN']}")
options = {"timeout": SECONDS, "metadata": [authorization]}
channel = grpc.insecure_channel(address)
heads = head_rpc.HeadStub(channel)


def submit_job(path, arguments):
    """A program as a job: its code is uploaded under its hash, its output read to the end."""
    jobs = job_rpc.JobsStub(channel)
    bundle = jobs.PutBundle(iter([job.BundleChunk(data=path.read_bytes())]), **options)
    request = job.SubmitRequest(bundle=bundle.sha256, argv=arguments, name=path.name)
    job_id = jobs.Submit(request, **options).job_id
    chunks = jobs.Logs(job.LogsRequest(job_id=job_id, follow=True), **options)
    output = b"".join(chunk.data for chunk in chunks).decode()
    status = jobs.Get(job.GetJobRequest(job_id=job_id), **options).status
    return {"output": output.strip(), "status": job.JobStatus.Name(status)}


class Actor:
    """One stream of calls to the process of a named actor. Each call waits for its reply."""

    def __init__(self, name):
        info = heads.ResolveActor(head.ResolveActorRequest(name=name, wait_ms=30_000), **options)
        if info.state != head.ACTOR_STATE_ALIVE:
            raise RuntimeError(f"actor {name} is {head.ActorState.Name(info.state)}: {info.pending_reason}")
        meant = [("palimpsest-actor-id", info.spec.actor_id), ("palimpsest-incarnation", str(info.incarnation))]
        self.frames = queue.SimpleQueue()
        self.channel = grpc.insecure_channel(info.address)
        stub = actor_rpc.ActorHostStub(self.channel)
        batches = stub.Calls(iter(self.frames.get, None), timeout=SECONDS, metadata=[authorization, *meant])
        self.replies = (reply for batch in batches for reply in batch.replies)
        self.call_id = 0

    def reply(self, method, *args):
        self.call_id += 1
        call = actor.Call(call_id=self.call_id, method=method, args=encode(args), timeout_ms=SECONDS * 1000)
        self.send(actor.CallFrame(call=call))
        reply = next(self.replies)
        if reply.HasField("error"):
            raise RuntimeError(f"{reply.error.code}: {reply.error.message}")
        return reply

    def call(self, method, *args):
        return decode(self.reply(method, *args).value)

    def taken(self):
        """What the last reply refers to is held by the actor until this is said."""
        self.send(actor.CallFrame(taken_call_id=self.call_id))

    def send(self, frame):
        self.frames.put(actor.CallBatch(frames=[frame]))

    def close(self):
        self.frames.put(None)
        self.channel.close()


def read_object(reference: Reference):
    """The value that a reference stands for, from a node that has it or fetches it from another one."""
    object_id = objects.ObjectReference.FromString(reference.data).object_id.hex()
    nodes = heads.ListNodes(head.ListNodesRequest(states=[head.NODE_STATE_ALIVE]), **options).nodes
    with grpc.insecure_channel(nodes[0].objects_address) as node:
        stub = objects_rpc.ObjectsStub(node)
        stub.Fetch(objects.FetchRequest(object_id=object_id), **options)
        chunks = stub.Pull(objects.PullRequest(object_id=object_id), **options)
        return decode_object(b"".join(chunk.data for chunk in chunks))


tally = Actor("tally")
result = {
    "job": submit_job(HERE / "job.mjs", ["from", "Python"]),
    "counts": [tally.call("add", {"amount": 71}), tally.call("add", {"amount": 29})],
}
reference = decode(tally.reply("numbers", 5_000).value)
value = read_object(reference)
tally.taken()
result["object"] = {"name": value["name"], "length": len(value["values"]), "sum": sum(value["values"])}
try:
    tally.call("fail")
except RuntimeError as error:
    result["error"] = str(error)
tally.close()
print(json.dumps(result))
